// The types of <solana-payment>.
import type { HTMLAttributes, RefAttributes } from 'react'

export type SolanaPaymentStatus = {
  /** See docs/contract.md, "Statuses and transitions". */
  readonly status: string
  /** The same for display, with fewer values. */
  readonly action: string
}

type Events = {
  loaded: CustomEvent<null>
  failed: CustomEvent<null>
  status: CustomEvent<SolanaPaymentStatus>
  closed: CustomEvent<null>
}

export interface SolanaPaymentElement extends HTMLElement {
  open(): void
  close(): void
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
  removeEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
}

type PaymentAttributes = HTMLAttributes<SolanaPaymentElement> &
  RefAttributes<SolanaPaymentElement> & {
    readonly 'client-secret': string
    readonly modal?: ''
    /** `name`, `email` or both with a comma. */
    readonly details?: string
    readonly theme?: 'light' | 'dark' | 'auto'
  }

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'solana-payment': PaymentAttributes
    }
  }
}
