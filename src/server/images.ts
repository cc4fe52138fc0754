// GET /images/NAME: stored images. A name stands for its content, so every cache may keep it.
import type { RequestHandler, Response } from 'express'
import { IMAGES_PATH } from '#core/images/image.ts'
import { sendError } from '#http/replies.ts'
import type { ChargeAddress } from '#server/graphiql.ts'
import { ImageBuffers } from '#server/image-buffers.ts'
import type { Services } from '#services/services.ts'

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
