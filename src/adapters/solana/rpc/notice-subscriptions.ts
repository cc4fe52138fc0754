// The account subscriptions of one websocket: which request asked for which account, and which subscription it became.
import type { Address } from '@solana/kit'

export type NoticeSubscriptions = {
  /** Subscribes to the accounts that are new in the set, and unsubscribes from the accounts that have left it. */
  subscribe(wanted: ReadonlySet<Address>): void
  /** Takes the answer to a request: the number of a subscription, or null when the provider refused. */
  answered(request: number, subscription: string | null): void
  /** Returns the account of a subscription, if it is still wanted. */
  accountOf(subscription: string): Address | undefined
  /** Returns how many subscriptions the provider has confirmed. */
  count(): number
}

/** `send` sends one request and returns its number. Subscriptions' numbers stay text: they may exceed a double. */
export function createNoticeSubscriptions(
  send: (method: string, params: readonly unknown[]) => number,
): NoticeSubscriptions {
  const requests = new Map<Address, number>()
  const asked = new Map<number, Address>()
  const subscriptions = new Map<Address, string>()
  const accounts = new Map<string, Address>()

  const subscribeTo = (account: Address): void => {
    const request = send('accountSubscribe', [account, { commitment: 'finalized', encoding: 'base64' }])
    requests.set(account, request)
    asked.set(request, account)
  }
  const unsubscribeFrom = (account: Address): void => {
    requests.delete(account)
    const subscription = subscriptions.get(account)
    // Not answered yet: `answered` unsubscribes an account that is no longer wanted.
    if (subscription === undefined) return
    subscriptions.delete(account)
    accounts.delete(subscription)
    send('accountUnsubscribe', [JSON.rawJSON(subscription)])
  }

  return {
    subscribe(wanted) {
      for (const account of requests.keys()) if (!wanted.has(account)) unsubscribeFrom(account)
      for (const account of wanted) if (!requests.has(account)) subscribeTo(account)
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
