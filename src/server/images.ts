// GET /images/NAME: stored images. A name stands for its content, so every cache may keep it.
import type { ServerResponse } from 'node:http'
import type { RequestHandler, Response } from 'express'
import { IMAGES_PATH } from '#core/images/image.ts'
import { sendError } from '#http/replies.ts'
import { createByteLru } from '#lib/lru.ts'
import { createSlots } from '#lib/parallel.ts'
import type { Services } from '#services/services.ts'
import type { ChargeAddress } from './graphiql.ts'

// Stored images in the memory of the process. All replies of an image write from one buffer, so a client that reads its
// reply slowly, or never, holds no buffer of its own.

type ReadImage = Services['images']['read']
type Found = Awaited<ReturnType<ReadImage>>

/** The images that were asked for last stay in memory, up to this size together. */
const RECENT_BYTES = 16 * 1_048_576
/** Reads of the storage at once. Further reads wait for their turn. */
const READS_AT_ONCE = 16

class ImageBuffers {
  readonly #read: ReadImage
  readonly #inTurn = createSlots(READS_AT_ONCE)
  readonly #recent = createByteLru<NonNullable<Found>>(RECENT_BYTES)
  /** By name: the image, and how many replies are not closed yet. */
  readonly #inUse = new Map<string, { readonly image: Promise<Found>; replies: number }>()

  constructor(read: ReadImage) {
    this.#read = read
  }

  /** Returns an image for a reply that is not closed; null for a name that no image has. */
  find(name: string, response: ServerResponse): Promise<Found> {
    const used = this.#inUse.get(name) ?? { image: this.#load(name), replies: 0 }
    used.replies += 1
    this.#inUse.set(name, used)
    response.once('close', () => {
      used.replies -= 1
      if (used.replies === 0) this.#inUse.delete(name)
    })
    return used.image
  }

  async #load(name: string): Promise<Found> {
    const recent = this.#recent.get(name)
    if (recent !== undefined) return recent
    const image = await this.#inTurn(() => this.#read(name))
    if (image !== null) this.#recent.set(name, image, image.bytes.length)
    return image
  }
}

export const IMAGE_ROUTE = `${IMAGES_PATH}/:name`

/** The tally of the address that asks. */
export type AddressTally = {
  readonly charge: ChargeAddress
  /** Throws `Refused` when the address has no point left, and counts nothing. */
  requireRoom(response: Response): Promise<void>
}

/**
 * The type is that of the content and is never guessed; a page that opens the image itself can run nothing. A name that no
 * image has costs its address one point, so a page may have any number of images. An address without a point reads nothing
 * from the storage.
 */
export function serveImage(
  images: Pick<Services['images'], 'read'>,
  { charge, requireRoom }: AddressTally,
): RequestHandler {
  const buffers = new ImageBuffers((name) => images.read(name))
  return async ({ params: { name } }, response) => {
    response.locals.route = IMAGE_ROUTE
    await requireRoom(response)
    if (response.closed) return
    const image = await buffers.find(String(name), response)
    if (image === null) {
      await charge(response, 1)
      return sendError(response, 404, 'not found')
    }
    response.setHeader('Content-Type', image.contentType)
    response.setHeader('Content-Length', image.bytes.length)
    response.setHeader('Content-Disposition', 'inline')
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    response.end(image.bytes)
  }
}
