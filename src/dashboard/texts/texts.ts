// English decides which texts of the dashboard there are: a language that lacks one does not compile.
import type { en } from './en.ts'

export type TextKey = keyof typeof en
/** A word in braces, such as `{name}`, is replaced. */
export type Texts = Readonly<Record<TextKey, string>>
