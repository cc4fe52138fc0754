// The accent color of a business, as a style of its own: no style is inside of a page. docs/contract.md, "Brands".
import { isReadableOn, textOn } from '#core/accounts/brand.ts'

/** What is behind the text of a page: `--ground` and `--card` of style.css. */
export const GROUNDS = { light: ['#f3f4f8', '#ffffff'], dark: ['#0f1117', '#191c25'] } as const

/** Returns the name of the style of a color `#rrggbb`. */
export const accentName = (color: string): string => `accent-${color.slice(1)}.css`

/** Returns the color whose style has the name; null for every other name. */
export const colorOfName = (name: string): string | null => {
  const [, digits] = /^accent-([0-9a-f]{6})\.css$/.exec(name) ?? []
  return digits === undefined ? null : `#${digits}`
}

/** Returns the style: the color where it can be read, and the color of the text elsewhere. */
export function accentStyle(color: string): string {
  const link = (grounds: readonly string[]) => (isReadableOn(color, grounds) ? color : 'var(--text)')
  const links = `light-dark(${link(GROUNDS.light)}, ${link(GROUNDS.dark)})`
  const onAccent = textOn(color)
  return (
    `:root { --accent: ${color}; --on-accent: ${onAccent}; --link: ${links} }\n` +
    // The color may be that of the card.
    `.button.primary { border-color: color-mix(in srgb, ${color} 70%, ${onAccent}) }\n`
  )
}
