// Decodes and encodes images with sharp (libvips). Only three decoders are on, so no other format reaches native code.
import type Sharp from 'sharp'
import { type Image, type ImageFormat, isDecodable, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from '#core/images/image.ts'
import { once } from '#lib/cache.ts'
import { createSlots } from '#lib/parallel.ts'
import type { ImageCodec } from '#ports/images.ts'

const DECODERS = ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer']

/** A picture of the most pixels takes less than a second; a crafted file may not take longer. */
const TIMEOUT_SECONDS = 5

/** A picture takes at most 80 MB while it is decoded. */
const AT_ONCE = 2

/** Loads libvips with the first image. */
const loadSharp = once(async (): Promise<typeof Sharp> => {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: DECODERS })
  // Uploads are rare: no memory is kept for the next one.
  sharp.cache(false)
  // Each thread would hold lines of its own.
  sharp.concurrency(1)
  return sharp
})

export function createImageCodec(): ImageCodec {
  const inTurn = createSlots(AT_ONCE)
  return { encodeAgain: (bytes, format) => inTurn(() => encodeAgain(bytes, format)) }
}

async function encodeAgain(bytes: Uint8Array, format: ImageFormat): Promise<Image | null> {
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', pages: 1 })
    const { format: found, width, height, isProgressive, depth } = await image.metadata()
    // An interlaced PNG and a progressive JPEG are decoded as a whole, and other files line by line.
    const isCostly = isProgressive === true || depth !== 'uchar'
    if (found !== format || !isDecodable({ width, height, isCostly })) return null
    const encoded = await image
      .timeout({ seconds: TIMEOUT_SECONDS })
      .autoOrient()
      .resize(MAX_IMAGE_SIDE, MAX_IMAGE_SIDE, { fit: 'inside', withoutEnlargement: true })
      .toFormat(format)
      .toBuffer()
    return { format, bytes: new Uint8Array(encoded) }
  } catch {
    // Truncated, too large in pixels, or no image at all: sharp has one kind of error for all of them.
    return null
  }
}
