// The bookkeeping of one websocket: which account was asked for by which request, and which subscription it became.
import type { Address } from '@solana/kit'

export type NoticeSubscriptions = {
  /** Subscribes to what is new in the set and unsubscribes from what has left it. */
  listen(wanted: ReadonlySet<Address>): void
  /** The provider answered a request: with a subscription's number, or null when it refused. */
  answered(request: number, subscription: string | null): void
  /** Whose subscription that is, if it still is anyone's. */
  accountOf(subscription: string): Address | undefined
  /** How many subscriptions the provider has confirmed. */
  count(): number
}

/** `send` transmits one request and returns its number. Subscriptions' numbers stay text: they may exceed a double. */
export function createNoticeSubscriptions(
  send: (method: string, params: readonly unknown[]) => number,
): NoticeSubscriptions {
  const requests = new Map<Address, number>()
  const asked = new Map<number, Address>()
  const subscriptions = new Map<Address, string>()
  const accounts = new Map<string, Address>()

  const subscribe = (account: Address): void => {
    const request = send('accountSubscribe', [account, { commitment: 'confirmed', encoding: 'base64' }])
    requests.set(account, request)
    asked.set(request, account)
  }
  const unsubscribe = (account: Address): void => {
    requests.delete(account)
    const subscription = subscriptions.get(account)
    // Still unanswered: the answer will find that nobody wants it any more.
    if (subscription === undefined) return
    subscriptions.delete(account)
    accounts.delete(subscription)
    send('accountUnsubscribe', [JSON.rawJSON(subscription)])
  }

  return {
    listen(wanted) {
      for (const account of requests.keys()) if (!wanted.has(account)) unsubscribe(account)
      for (const account of wanted) if (!requests.has(account)) subscribe(account)
    },
    answered(request, subscription) {
      const account = asked.get(request)
      asked.delete(request)
      if (account === undefined || subscription === null) return
      if (requests.get(account) !== request) {
        send('accountUnsubscribe', [JSON.rawJSON(subscription)])
        return
      }
      subscriptions.set(account, subscription)
      accounts.set(subscription, account)
    },
    accountOf: (subscription) => accounts.get(subscription),
    count: () => subscriptions.size,
  }
}
