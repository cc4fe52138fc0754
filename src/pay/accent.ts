// The file that styles the pages of a business in its accent color.

/** Returns the name of the style of a color `#rrggbb`. */
export const accentName = (color: string): string => `accent-${color.slice(1)}.css`

/** Returns the color whose style has the name; null for every other name. */
export const colorOfName = (name: string): string | null => {
  const [, digits] = /^accent-([0-9a-f]{6})\.css$/.exec(name) ?? []
  return digits === undefined ? null : `#${digits}`
}
