// Text from outside, as far as it can be kept and shown without misleading anybody. The one place for this rule.

/** In code points, as PostgreSQL counts them: an emoji is one character, not two. */
export const MAX_TEXT = 500

/** Completes "must be …" and "is …". */
export const CLEAN_TEXT = 'well-formed text without control characters or hidden characters'

/** Whether it is not too long. A text of twice as many UTF-16 units cannot be, and is not counted. */
export const isShortText = (text: string): boolean =>
  text.length <= MAX_TEXT || (text.length <= 2 * MAX_TEXT && [...text].length <= MAX_TEXT)

/** What is not seen, or changes how the rest is seen: controls, bidirectional marks, joiners, fillers, variation selectors. */
const HIDDEN = /[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\r]]/v

/** Emoji, which may hold joiners, variation selectors and tags. */
const EMOJI =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?)*/gv

/** A joiner after a letter of a script that is not written right without it, as in Persian, Hindi and Sinhala. */
const JOINED =
  /(?<=[[\p{L}\p{M}]&&[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]])[\u200c\u200d]/gv

/** The variant of a Chinese, Japanese or Mongolian character, which names are written with. */
const VARIANT = /(?<=\p{scx=Han})[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]|(?<=\p{scx=Mong})[\u180b-\u180d\u180f]/gv

/**
 * Whether it can be kept, and shows what it is. PostgreSQL keeps neither NUL nor half of a surrogate pair. A person is
 * misled by what changes the order of a text, or makes two texts look the same. Joiners and variation selectors are
 * allowed where a script or an emoji needs them: right after a letter of such a script, and within an emoji. Tabs and line
 * breaks are allowed.
 */
export const isCleanText = (text: string): boolean =>
  text.isWellFormed() &&
  (!HIDDEN.test(text) || !HIDDEN.test(text.replace(EMOJI, '').replace(JOINED, '').replace(VARIANT, '')))

/** Whether it has no tab and no line break. A name or a label of several lines could look like several. */
export const isOneLine = (text: string): boolean => !/[\t\n\r]/.test(text)

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** Whether it shows nothing: it is empty, or has only white space and invisible characters. Such a text is never a key. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text)
