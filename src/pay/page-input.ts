// What a page is rendered from: on the server, and again by the browser that takes the page over.

import type { Language, Texts } from '#pay/texts/texts.ts'
import type { CheckoutState, PaymentState, PortalState, RecoveryState } from './states.ts'

/** The state of each page, by its name. Everything in it is JSON. */
export type PageStates = {
  readonly payment: PaymentState
  readonly checkout: CheckoutState
  readonly portal: PortalState
  readonly recovery: RecoveryState
  readonly problem: Problem
}

export type PageName = keyof PageStates

/** Why there is no page. `code` is that of the refusal. */
export type Problem = {
  readonly code: string
  readonly status: number
  /** The page was one of a subscription, whose wallet gets another link on /manage. */
  readonly isOfSubscription: boolean
}

/** What every page is rendered from. */
export type Setting = {
  readonly language: Language
  readonly texts: Texts
  readonly site: Site
  /** Null for the one that the browser prefers. */
  readonly theme: 'light' | 'dark' | null
}

/** What a page knows of the service that shows it. */
export type Site = {
  /** {base_url} as the browser of this page reaches it. */
  readonly api: string
  /** The chain as wallets name it, such as `solana:mainnet`. Empty where a page has none. */
  readonly chain: string
  /** The page /manage, relative to this one. */
  readonly manage: string
  /** Nothing has a value, and a demo wallet can pay. */
  readonly isSandbox: boolean
  /** The page that embeds this one, such as `https://shop.example`; null where none does. */
  readonly embeddedIn: string | null
}

export type InputOf<Name extends PageName> = Setting & { readonly page: Name; readonly state: PageStates[Name] }
export type PageInput = { readonly [Name in PageName]: InputOf<Name> }[PageName]

/** What the document of a page refers to. */
export type PageLinks = {
  /** The style, and what changes of it for a business. */
  readonly styles: readonly string[]
  /** None for a page that only informs. */
  readonly scripts: readonly string[]
  /** What the scripts import. */
  readonly modules: readonly string[]
  /** The same page in each language. */
  readonly languages: Readonly<Record<Language, string>>
}

/** Returns a whole HTML document. */
export type Render = (input: PageInput, links: PageLinks) => string

/** The element that the browser takes over, and the one that has what it is rendered from. */
export const ROOT_ID = 'page'
export const INPUT_ID = 'input'
