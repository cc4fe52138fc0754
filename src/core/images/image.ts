// Images that people upload: the logo of a seller, the picture of a token.

/** The most bytes that an upload may have. */
export const MAX_IMAGE_BYTES = 1_048_576
/** The most pixels that are decoded, of a file of any size. */
export const MAX_IMAGE_PIXELS = 4_096 * 4_096
/** The same of a picture that takes more memory for a pixel: its file is decoded as a whole, or has 16 bits for a channel. */
export const MAX_COSTLY_PIXELS = 2_048 * 2_048
/** The longest side that is decoded: a decoder holds many lines at the same time. */
export const MAX_DECODED_SIDE = 8_192
/** A larger image is scaled down to this width and height at most. */
export const MAX_IMAGE_SIDE = 1_024

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const
export type ImageFormat = (typeof IMAGE_FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<ImageFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
}

/** An image as it is stored: encoded by the service, without metadata. */
export type Image = { readonly format: ImageFormat; readonly bytes: Uint8Array }

/** What the head of a file says about its picture, before anything is decoded. */
export type PictureHead = { readonly width: number; readonly height: number; readonly isCostly: boolean }

/** Returns whether a picture is small enough to be decoded. */
export const isDecodable = ({ width, height, isCostly }: PictureHead): boolean =>
  Math.max(width, height) <= MAX_DECODED_SIDE && width * height <= (isCostly ? MAX_COSTLY_PIXELS : MAX_IMAGE_PIXELS)

const hasAt = (bytes: Uint8Array, at: number, expected: readonly number[]): boolean =>
  expected.every((byte, place) => bytes[at + place] === byte)

const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]

/** Returns the format by the first bytes; null for every other file. */
export function formatOf(bytes: Uint8Array): ImageFormat | null {
  if (hasAt(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png'
  if (hasAt(bytes, 0, [0xff, 0xd8, 0xff])) return 'jpeg'
  return hasAt(bytes, 0, RIFF) && hasAt(bytes, 8, WEBP) ? 'webp' : null
}

/** Returns the name under which an image is stored. `digest` is the SHA-256 of its bytes in hexadecimal. */
export const imageName = (digest: string, format: ImageFormat): string => `${digest}.${format}`

/** Below {base_url}. */
export const IMAGES_PATH = '/images'

/** Returns the path below {base_url} at which a stored image is served. */
export const imagePath = (name: string): string => `${IMAGES_PATH}/${name}`

/** Returns the format that a name of a stored image says; null for every other text. */
export function formatOfName(name: string): ImageFormat | null {
  const [, format] = /^[0-9a-f]{64}\.(\w+)$/.exec(name) ?? []
  return IMAGE_FORMATS.find((one) => one === format) ?? null
}
