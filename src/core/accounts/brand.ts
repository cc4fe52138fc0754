// How the pages of a business look to its buyers.

export type Brand = {
  /** The name of a stored image. */
  readonly logoName: string | null
  /** `#rrggbb`. */
  readonly accentColor: string | null
  /** Where buyers get help: a page of https, an address, or both. */
  readonly supportUrl: string | null
  readonly supportEmail: string | null
}

export const NO_BRAND: Brand = { logoName: null, accentColor: null, supportUrl: null, supportEmail: null }

/** Returns a color such as `#0A7` or `#00aa77` as `#00aa77`; null for every other text. */
export function readColor(text: string): string | null {
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text.toLowerCase()) ?? []
  if (digits === '') return null
  return digits.length === 6 ? `#${digits}` : `#${digits.replace(/./g, '$&$&')}`
}

/** The least contrast of a text. WCAG 2.2, 1.4.3. */
const MIN_CONTRAST = 4.5

/** Returns the relative luminance of `#rrggbb`, from 0 to 1. WCAG 2.2. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast of two colors, from 1 to 21. WCAG 2.2. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Returns black or white: the text that is read best on a color. Its contrast is at least 4.58 on every color. */
export const textOn = (color: string): '#000000' | '#ffffff' =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'

export const isReadableOn = (color: string, grounds: readonly string[]): boolean =>
  grounds.every((ground) => contrastOf(color, ground) >= MIN_CONTRAST)
