// Reports to the page that embeds this one, and to no other.
import { useEffect } from 'preact/hooks'
import { type Envelope, WIDGET, type WidgetMessage } from '#pay/widget-messages.ts'

/** `embeddedIn` is the exact origin of the embedding page, which the service has judged; null reports nothing. */
export function tellParent(embeddedIn: string | null, message: WidgetMessage): void {
  const envelope: Envelope = { from: WIDGET, message }
  if (embeddedIn !== null) window.parent.postMessage(envelope, embeddedIn)
}

/** Reports that the page is there, each status, each change of its height, and Escape. */
export function useParent(
  embeddedIn: string | null,
  { status, action }: Pick<Extract<WidgetMessage, { type: 'status' }>, 'status' | 'action'>,
): void {
  useEffect(() => {
    if (embeddedIn === null) return
    tellParent(embeddedIn, { type: 'loaded' })
    const observer = new ResizeObserver(() =>
      tellParent(embeddedIn, { type: 'resized', height: document.body.scrollHeight }),
    )
    observer.observe(document.body)
    // A question of this page is what Escape closes first.
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape' && !document.querySelector('dialog[open]')) tellParent(embeddedIn, { type: 'escaped' })
    }
    addEventListener('keydown', onKey)
    return () => {
      observer.disconnect()
      removeEventListener('keydown', onKey)
    }
  }, [embeddedIn])
  useEffect(() => tellParent(embeddedIn, { type: 'status', status, action }), [embeddedIn, status, action])
}
