// Stored images in the memory of the process. All replies of an image write from one buffer, so a client that reads its
// reply slowly, or never, holds no buffer of its own.
import type { ServerResponse } from 'node:http'
import { createByteLru } from '#lib/lru.ts'
import { createSlots } from '#lib/parallel.ts'
import type { Services } from '#services/services.ts'

type ReadImage = Services['images']['read']
type Found = Awaited<ReturnType<ReadImage>>

/** The images that were asked for last stay in memory, up to this size together. */
const RECENT_BYTES = 16 * 1_048_576
/** Reads of the storage at once. Further reads wait for their turn. */
const READS_AT_ONCE = 16

export class ImageBuffers {
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
