// What a file can take in memory while it is decoded, each in a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import { picture } from '../../support/images.ts'
import { spawnProgram } from '../../support/spawned-program.ts'

/** As src/adapters/images/sharp-codec.ts states it. */
const MOST_MEGABYTES = 80

let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'images-'))
  writeFileSync(join(directory, 'small'), await picture().png().toBuffer())
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const blank = (width: number, height: number, depth: 8 | 16 = 8) =>
  sharp({ create: { width, height, channels: 4, background: { r: 1, g: 99, b: 7, alpha: 0.5 } } }).toColourspace(
    depth === 16 ? 'rgb16' : 'srgb',
  )
const turned = { orientation: 6 }
const png = { compressionLevel: 9 }
const jpeg = { quality: 10, chromaSubsampling: '4:4:4' }

async function taken(image: Sharp): Promise<string> {
  const bytes = await image.toBuffer()
  expect(bytes.length).toBeLessThan(MAX_IMAGE_BYTES)
  const file = join(directory, 'image')
  writeFileSync(file, bytes)
  const program = 'test/adapters/images/peak-memory.ts'
  const { out } = await spawnProgram(program, [join(directory, 'small'), file], { cwd: process.cwd() })
  return out
}

describe.runIf(process.platform === 'linux')('in memory', () => {
  it.each<[string, () => Sharp]>([
    ['an ordinary PNG of the most pixels', () => blank(4_096, 4_096).png(png)],
    ['a PNG with the longest lines, turned', () => blank(8_192, 2_048).withMetadata(turned).png(png)],
    ['an interlaced PNG', () => blank(2_048, 2_048).png({ ...png, progressive: true })],
    ['an interlaced PNG of 16 bits', () => blank(2_048, 2_048, 16).png({ ...png, progressive: true })],
    ['a PNG of 16 bits with the longest lines', () => blank(8_192, 512, 16).png(png)],
    [
      'a progressive JPEG in CMYK',
      () =>
        blank(2_048, 2_048)
          .toColourspace('cmyk')
          .jpeg({ ...jpeg, progressive: true }),
    ],
    ['an ordinary JPEG', () => blank(4_096, 4_096).jpeg(jpeg)],
    ['a WebP', () => blank(4_096, 4_096).webp({ quality: 10 })],
  ])(`%s takes at most ${MOST_MEGABYTES} MB`, async (_name, image) => {
    expect(Number(await taken(image()))).toBeLessThanOrEqual(MOST_MEGABYTES)
  })

  it.each<[string, () => Sharp]>([
    ['an interlaced PNG of the most pixels', () => blank(4_096, 4_096).png({ ...png, progressive: true })],
    ['an interlaced PNG of 16 bits', () => blank(2_049, 2_048, 16).png({ ...png, progressive: true })],
    ['a PNG of 16 bits and the most pixels', () => blank(4_096, 4_096, 16).png(png)],
    ['a progressive JPEG of the most pixels', () => blank(4_096, 4_096).jpeg({ ...jpeg, progressive: true })],
    ['a PNG whose lines have a million pixels', () => blank(1_000_000, 16).png(png)],
    ['a PNG that is a million pixels high', () => blank(16, 1_000_000).png(png)],
  ])('%s is not decoded', async (_name, image) => {
    expect(await taken(image())).toBe('refused')
  })
})
