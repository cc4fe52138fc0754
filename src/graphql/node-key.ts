// Finds a node by the id inside its global id, which can contain anything.
import { isUuid } from '#services/uuid.ts'

const UNUSED_ID = '00000000-0000-0000-0000-000000000000'

/** Returns the condition that finds a row by its id. PostgreSQL fails on a value that is no UUID; nothing has this one. */
export const nodeKey = (id: string): { readonly id: string } => ({ id: isUuid(id) ? id : UNUSED_ID })
