// Text from outside, as far as it can be kept.

/** In code points, as PostgreSQL counts them: an emoji is one character, not two. */
export const MAX_TEXT = 500

/** Whether it is not too long. A text of twice as many UTF-16 units cannot be, and is not counted. */
export const isShortText = (text: string): boolean =>
  text.length <= MAX_TEXT || (text.length <= 2 * MAX_TEXT && [...text].length <= MAX_TEXT)

/** PostgreSQL keeps neither NUL nor half of a surrogate pair. */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** Whether it shows nothing: it is empty, or has only white space and invisible characters. Such a text is never a key. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text)
