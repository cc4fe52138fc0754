// The messages of a provider's websocket.

export type NoticeMessage =
  | { readonly kind: 'answer'; readonly request: number; readonly subscription: string | null }
  | { readonly kind: 'notice'; readonly subscription: string }
  | { readonly kind: 'slot'; readonly root: bigint }

/** Reads a message; null for every other text. Subscriptions' numbers stay text: they may exceed a double. */
export function readMessage(text: string): NoticeMessage | null {
  try {
    const message: unknown = JSON.parse(text, (_key, value: unknown, context: { source?: string }) =>
      typeof value === 'number' ? context.source : value,
    )
    const { id, method, result, params } = fieldsOf(message)
    if (typeof id === 'string')
      return { kind: 'answer', request: Number(id), subscription: typeof result === 'string' ? result : null }
    const { subscription, result: notice } = fieldsOf(params)
    if (method === 'slotNotification') return slotNotice(fieldsOf(notice).root)
    return typeof subscription === 'string' ? { kind: 'notice', subscription } : null
  } catch {
    return null
  }
}

const slotNotice = (root: unknown): NoticeMessage | null =>
  typeof root === 'string' ? { kind: 'slot', root: BigInt(root) } : null

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
