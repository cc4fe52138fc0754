// Decodes one image in a process of its own. Prints the megabytes that this has taken at most, or `refused`. Linux only.
import { readFileSync } from 'node:fs'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { formatOf } from '#core/images/image.ts'

const [, , smallFile = '', file = ''] = process.argv
const codec = createImageCodec()

async function encodeAgain(path: string): Promise<boolean> {
  const bytes = new Uint8Array(readFileSync(path))
  const format = formatOf(bytes)
  return format !== null && (await codec.encodeAgain(bytes, format)) !== null
}

/** The highest resident memory so far. */
const peak = (): number => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024

// Loads the native code, whose memory is no part of an image.
await encodeAgain(smallFile)
const before = peak()
process.stdout.write((await encodeAgain(file)) ? String(Math.ceil(peak() - before)) : 'refused')
