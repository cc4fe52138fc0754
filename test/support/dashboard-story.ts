// The dashboard of a running service in a real Chromium: businesses, their members, and what people do with its pages.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFailed } from 'vitest'
import { addWallets, CHROMIUM, DESKTOP, expectAccessible, openBrowser, PHONE, takePicture } from './browser.ts'
import { freePort } from './free-port.ts'
import { type Json, type Story, startStory } from './running-service.ts'

export const hasBrowser = CHROMIUM !== null
export const WITHOUT_BROWSER = hasBrowser
  ? ''
  : ' (skipped: no Chromium is installed; install the package chromium, or set CHROMIUM)'

export type Role = 'owner' | 'developer' | 'finance' | 'viewer'

const CREATE = `mutation($name: Line!, $wallet: SolanaAddress) {
  created: createAccount(input: { name: $name, mode: live, sweepDestination: $wallet }) { account { id } apiKey }
}`
const INVITE = `mutation($id: UUID!, $name: Line!, $role: MemberRole!) {
  invited: inviteAccountMember(accountId: $id, name: $name, role: $role) { url }
}`

export type DashboardStory = {
  readonly story: Story
  operator(query: string, variables: object): Promise<Json>
  /** Opens a business that can be paid, and returns its id and its first key. */
  openShop(name: string, wallet?: string | null): Promise<{ readonly id: string; readonly key: string }>
  invite(id: string, role?: Role, name?: string): Promise<string>
  /** Opens an address in a browser of its own, with a device that makes passkeys. */
  open(url: string, options?: BrowserContextOptions, wallets?: Parameters<typeof addWallets>[1]): Promise<Page>
  /** Joins a business by a passkey, and returns the start page. */
  join(id: string, role?: Role, options?: BrowserContextOptions): Promise<Page>
  stop(): Promise<void>
}

export async function startDashboardStory(settings: Readonly<Record<string, string>> = {}): Promise<DashboardStory> {
  const port = await freePort()
  // Passkeys are bound to a name.
  const story = await startStory({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}`, ...settings })
  const browser = await openBrowser()
  const operator: DashboardStory['operator'] = async (query, variables) => {
    const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = await response.json()
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    return data
  }
  const invite: DashboardStory['invite'] = async (id, role = 'owner', name = 'Ada') =>
    (await operator(INVITE, { id, name, role })).invited.url
  const open: DashboardStory['open'] = async (url, options = {}, wallets = []) => {
    const page = await pageWithPasskeys(browser, options, wallets)
    await page.goto(new URL(url, story.facts.base_url).href)
    return page
  }
  return {
    story,
    operator,
    async openShop(name, wallet = story.wallet.address) {
      const { created } = await operator(CREATE, { name, wallet })
      return { id: String(created.account.id), key: String(created.apiKey) }
    },
    invite,
    open,
    async join(id, role = 'owner', options = {}) {
      const page = await open(await invite(id, role), options)
      await press(page, 'Use a passkey')
      await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
      return page
    },
    async stop() {
      await browser.close()
      await story.stop()
    },
  }
}

async function pageWithPasskeys(
  browser: Browser,
  options: BrowserContextOptions,
  wallets: Parameters<typeof addWallets>[1],
): Promise<Page> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options })
  if (wallets.length > 0) await addWallets(context, wallets, async () => '')
  const page = await context.newPage()
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  onTestFailed(async () => {
    if (!page.isClosed()) process.stderr.write(`${page.url()} shows:\n${await page.locator('body').innerText()}\n`)
  })
  return page
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
export const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()
export const shows = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor()

/** Lets axe read what is shown, on a desktop and on a phone. `picture` names the screenshot in docs/. */
export async function expectGood(page: Page, picture?: string): Promise<void> {
  await expectAccessible(page)
  if (picture !== undefined) await takePicture(page, picture)
  await page.setViewportSize(PHONE)
  await expectAccessible(page)
  expect(
    await page.evaluate('document.documentElement.scrollWidth'),
    'nothing is wider than a phone',
  ).toBeLessThanOrEqual(PHONE.width)
  await page.setViewportSize(DESKTOP)
}
