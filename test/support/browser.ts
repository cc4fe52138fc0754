// What tests do with pages in a real Chromium.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { GivenWallet, WalletKind } from './browser-wallets.ts'

// The Chromium of tests and measurements. `CHROMIUM` names another one than that of the system.

/** The shell has no windows, and needs a third less of the processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The path of an installed browser; null where there is none. */
export const CHROMIUM: string | null =
  [
    process.env.CHROMIUM ?? '',
    ...(process.env.PATH ?? '').split(':').flatMap((directory) => NAMES.map((name) => join(directory, name))),
  ].find((path) => path !== '' && existsSync(path)) ?? null

/** A name of this machine for the browser; no business has registered it. */
export const UNREGISTERED = 'other.example'

const FLAGS = [
  `--host-resolver-rules=MAP ${UNREGISTERED} 127.0.0.1`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS, chromiumSandbox: false })

const here = import.meta.dirname
const root = resolve(here, '../..')

export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 800 }

/** A wallet of a test, whose key the test has as well. */
export type TestWallet = GivenWallet & { readonly name: string }

export async function newWallet(kind: WalletKind): Promise<TestWallet> {
  const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('Ed25519 has pairs of keys')
  return {
    kind,
    name: `Wallet that ${kind.replace('_', ' ')}`,
    privateKey: await crypto.subtle.exportKey('jwk', pair.privateKey),
    publicKey: [...new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))],
  }
}

let script: Promise<string> | undefined

/** The script that puts wallets into a page. */
const walletScript = (): Promise<string> => {
  script ??= build({
    entryPoints: [join(here, 'browser-wallets.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  }).then(({ outputFiles: [file] }) => `(async () => {${file?.text.replace(/^export \{.*$/m, '')}})()`)
  return script
}

/** Puts wallets into every page of a context. `send` sends a transaction, both in base64. */
export async function addWallets(
  context: BrowserContext,
  wallets: readonly TestWallet[],
  send: (transaction: string) => Promise<string>,
): Promise<void> {
  await context.exposeFunction('sendForWallet', send)
  await context.addInitScript({
    content: `window.givenWallets = ${JSON.stringify(wallets)};\n${await walletScript()}`,
  })
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Fails when axe finds something, with what and where. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page's own policy loads no other script; the debugger may.
  const found = await page.evaluate(`(async () => {
    if (typeof axe !== 'object') {
      ${await axeSource()}
    }
    const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(RULES)} })
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | '))
  })()`)
  expect(found).toEqual([])
}

let axe: Promise<string> | undefined
async function axeSource(): Promise<string> {
  axe ??= import('node:fs/promises').then(({ readFile }) => readFile(AXE, 'utf8'))
  return axe
}

/** The widths at which a page must fit: the narrowest phone, and a usual one. */
const NARROW = [320, 390]
/** Longer words may break where they do not fit. */
const WHOLE_WORD = 14

/** The most that a card has below its content, in pixels. */
const PADDING = 40

/** Fails when a page scrolls sideways, when its card is empty below or narrower than its content, or when a word breaks inside. Leaves the page on a phone. */
export async function expectFits(page: Page): Promise<void> {
  for (const width of NARROW) {
    await page.setViewportSize({ ...PHONE, width })
    const misfits = await page.evaluate(`(() => {
      const misfits = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []
      const main = document.querySelector('main')
      const { left, right, bottom } = main.getBoundingClientRect()
      const ends = Array.from(main.querySelectorAll('.stage > *'), (part) => part.getBoundingClientRect().bottom)
      if (bottom - Math.max(...ends) > ${PADDING}) misfits.push('the card is empty at its end')
      for (const element of main.querySelectorAll('*')) {
        const box = element.getBoundingClientRect()
        if (box.width > 0 && (box.left < left || box.right > right)) misfits.push('sticks out: ' + element.textContent)
      }
      const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
      const range = document.createRange()
      while (texts.nextNode()) {
        const text = texts.currentNode
        for (const { 0: word, index } of text.data.matchAll(/[\\p{Script=Latin}\\p{Script=Arabic}\\p{N}.,]+/gu)) {
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)))
          if (word.length <= ${WHOLE_WORD} && lines.size > 1) misfits.push('breaks inside: ' + word)
        }
      }
      return misfits
    })()`)
    expect({ width, misfits }).toEqual({ width, misfits: [] })
  }
}

/** Where the pictures of the pages go; none are made when it is not set. */
const PICTURES = process.env.SCREENSHOTS

/** Keeps a picture of the page as it is, for docs/. Fails when a character of it has no font on this machine. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  expect(await missingGlyphs(page), 'characters without a font: install fonts-noto').toEqual([])
  const { default: sharp } = await import('sharp')
  // What stays in view while a person scrolls is drawn where it was.
  await page.evaluate('scrollTo(0, 0)')
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled' })
  await sharp(picture)
    .png({ palette: true, colours: 64 })
    .toFile(join(PICTURES, `${name}.png`))
}

/** Returns the characters that the browser draws as it draws one that no font has. */
const missingGlyphs = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const canvas = document.createElement('canvas')
    const context = canvas.getContext('2d', { willReadFrequently: true })
    const drawn = (character) => {
      context.clearRect(0, 0, canvas.width, canvas.height)
      context.font = '24px ' + getComputedStyle(document.body).fontFamily
      context.fillText(character, 10, 40)
      return context.getImageData(0, 0, 60, 60).data.join()
    }
    const unknown = drawn('\\u{10fffd}')
    const characters = new Set(document.body.innerText.match(/[^\\s\\p{Default_Ignorable_Code_Point}]/gu))
    return [...characters].filter((character) => drawn(character) === unknown)
  })()`)
