// GET /images/NAME: stored images. A name stands for its content, so every cache may keep it.
import type { RequestHandler } from 'express'
import { IMAGES_PATH } from '#core/images/image.ts'
import { sendError } from '#http/replies.ts'
import type { Services } from '#services/services.ts'

export const IMAGE_ROUTE = `${IMAGES_PATH}/:name`

/** The type is that of the content and is never guessed; a page that opens the image itself can run nothing. */
export function serveImage(images: Pick<Services['images'], 'read'>): RequestHandler {
  return async ({ params: { name } }, response) => {
    response.locals.route = IMAGE_ROUTE
    const image = await images.read(String(name))
    if (image === null) return sendError(response, 404, 'not found')
    response.setHeader('Content-Type', image.contentType)
    response.setHeader('Content-Length', image.bytes.length)
    response.setHeader('Content-Disposition', 'inline')
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    response.end(image.bytes)
  }
}
