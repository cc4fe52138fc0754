// The Chromium of tests and measurements. `CHROMIUM` names another one than that of the system.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

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
