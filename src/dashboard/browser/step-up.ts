// A new proof before a change that needs one.
import { createContext } from 'preact'

/** Asks for a proof. Resolves to whether the person has given one. */
export const StepUp = createContext<() => Promise<boolean>>(async () => false)
