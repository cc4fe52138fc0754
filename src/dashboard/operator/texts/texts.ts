// English decides which texts of the operator's pages there are: a language that lacks one does not compile.
import type { en } from './en.ts'

export type OwnTextKey = keyof typeof en
/** A word in braces, such as `{name}`, is replaced. */
export type OwnTexts = Readonly<Record<OwnTextKey, string>>
