// The state of a payment on its page, and everything that a buyer can do there.
import { useEffect, useState } from 'preact/hooks'
import { AskError, ask } from '#pay/browser/ask.ts'
import { connect } from '#pay/browser/wallets.ts'
import {
  CancelPaymentDocument,
  type CustomerInput,
  PaymentChangesDocument,
  PaymentNowDocument,
  PaymentQuoteDocument,
  type PaymentStateFragment,
  ProposeRefundAddressDocument,
  SaveDetailsDocument,
  SelectAssetDocument,
  WalletFundsDocument,
  type WalletFundsQuery,
} from '#pay/documents.generated.ts'
import { type PaymentState, quotesOf } from '#pay/states.ts'
import { type Action, type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { useLive, useSecondsLeft } from '#pay/views/use-live.ts'
import { useWallets } from '#pay/views/wallet-buttons.tsx'
import { type NamedToken, tokenOf } from './amounts.ts'

// What the wallet that this browser has connected before can spend.

type Funds = NonNullable<WalletFundsQuery['walletFunds']>[number] & { readonly wallet: string }

/** By asset; empty while no wallet shows its account without asking, or nothing is known of it. Read again when `reason` changes; null reads nothing. */
function useFunds(clientSecret: string, reason: unknown): ReadonlyMap<string, Funds> {
  const { site } = usePage()
  const wallets = useWallets('transaction')
  const [funds, setFunds] = useState<ReadonlyMap<string, Funds>>(new Map())
  useEffect(() => {
    if (reason === null) return
    let isLatest = true
    const read = async (): Promise<void> => {
      if (!wallets?.length) return
      const found = wallets.map(async (one) => ({ name: one.name, account: await connect(one, site.chain, true) }))
      const { name: wallet, account } = await Promise.any(found)
      const variables = { clientSecret, wallet: account.address }
      const { walletFunds } = await ask(site.api, WalletFundsDocument, variables)
      if (isLatest) setFunds(new Map(walletFunds.map((one) => [one.asset, { ...one, wallet }])))
    }
    // It is a help, not a condition: without an answer the page says nothing.
    read().catch(() => {})
    return () => {
      isLatest = false
    }
  }, [wallets, reason])
  return funds
}

export type Checkout = Omit<PaymentState, 'details'> & {
  /** The selected asset, also when it can no longer be selected. */
  readonly token: NamedToken | null
  /** What the connected wallet can spend, by asset. */
  readonly funds: ReadonlyMap<string, Funds>
  readonly secondsLeft: number
  readonly isOffline: boolean
  /** More could be paid when the page was opened. */
  readonly wasPayable: boolean
  /** The details that the business asks for and does not have yet. */
  readonly details: PaymentState['details']
  /** Shows a state of the payment, unless a later one is shown. */
  take(state: PaymentStateFragment): void
  select(asset: string): Action
  changeAsset(): void
  readonly cancel: Action
  saveDetails(details: () => CustomerInput): Action
  proposeAddress(address: () => string): Action
}

/** Returns whether more can be paid for the price. */
export const isPayable = ({ status }: PaymentStateFragment): boolean => status === 'pending' || status === 'underpaid'

const QUOTE_AGAIN_MS = 15_000

const READ_AGAIN_MS = 2_000
/** Only late money can change a payment that has ended. */
const READ_ENDED_AGAIN_MS = 20_000
const UNDER_WAY: ReadonlySet<PaymentStateFragment['action']> = new Set([
  'waiting',
  'underpaid',
  'paid',
  'overpaid',
  'refunding',
])

export function useCheckout(initial: PaymentState): Checkout {
  const { clientSecret } = initial
  const { site } = usePage()
  const [payment, setPayment] = useState(initial.payment)
  const [quotes, setQuotes] = useState(initial.quotes)
  const [isChanging, setChanging] = useState(false)
  const take = (state: PaymentStateFragment) =>
    setPayment((known) => (state.version >= known.version ? { ...known, ...state } : known))

  const { isOffline, refresh } = useLive(
    {
      api: site.api,
      read: PaymentNowDocument,
      changes: PaymentChangesDocument,
      variables: { clientSecret },
      everyMs: () => (UNDER_WAY.has(payment.action) ? READ_AGAIN_MS : READ_ENDED_AGAIN_MS),
    },
    ({ checkout }) => take(checkout),
  )

  const isOtherWanted = isChanging && payment.status === 'pending'
  const isChoosing = isOtherWanted || (payment.status === 'pending' && payment.asset === null)
  useEffect(() => {
    if (!isChoosing) return
    const quote = () =>
      ask(site.api, PaymentQuoteDocument, { clientSecret }).then(
        ({ quote }) => setQuotes(quotesOf(quote)),
        // Without an answer nothing is known of prices, and the page says that the connection is lost.
        (error: unknown) => error instanceof AskError && error.code !== 'no_answer' && setQuotes(null),
      )
    if (isOtherWanted || quotes === null) void quote()
    const timer = setInterval(quote, QUOTE_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isChoosing])

  const actions = useActions('notDone', refresh)
  const act = (
    name: string,
    request: (ask: Running['ask']) => Promise<{ readonly checkout: PaymentStateFragment }>,
    done: () => void = () => {},
  ): Action =>
    actions.action(name, async (running) => {
      take((await request(running.ask)).checkout)
      done()
    })

  return {
    ...initial,
    payment: isOtherWanted ? { ...payment, asset: null } : payment,
    quotes,
    token: tokenOf(payment, payment.asset),
    funds: useFunds(clientSecret, isPayable(payment) ? isChoosing : null),
    secondsLeft: useSecondsLeft(payment.expiresInSeconds),
    isOffline,
    wasPayable: isPayable(initial.payment),
    details: missing(initial.details, payment),
    take,
    select: (asset) =>
      act(
        `select ${asset}`,
        (ask) => ask(SelectAssetDocument, { clientSecret, asset }),
        () => setChanging(false),
      ),
    changeAsset: () => setChanging(true),
    cancel: act('cancel', (ask) => ask(CancelPaymentDocument, { clientSecret })),
    saveDetails: (details) => act('details', (ask) => ask(SaveDetailsDocument, { clientSecret, details: details() })),
    proposeAddress: (address) =>
      act('address', (ask) => ask(ProposeRefundAddressDocument, { clientSecret, address: address() })),
  }
}

function missing(asked: PaymentState['details'], { customerDetails }: PaymentStateFragment): PaymentState['details'] {
  const known = { name: customerDetails?.firstName ?? customerDetails?.lastName, email: customerDetails?.email }
  return asked.filter((detail) => !known[detail])
}
