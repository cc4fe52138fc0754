// <solana-payment client-secret="…">: the page of a payment inside another site, in its place or as a modal. One script tag
// defines the element: <script src="{pay_url}/widget.js" async></script>
import { isEnvelope, type WidgetMessage } from '#pay/widget-messages.ts'

type Status = Extract<WidgetMessage, { type: 'status' }>

/** The events of the element. `status` comes with each change, and once in the beginning. */
export type SolanaPaymentEvents = {
  readonly loaded: CustomEvent<null>
  readonly status: CustomEvent<Pick<Status, 'status' | 'action'>>
  readonly closed: CustomEvent<null>
}

const STYLE = `
:host { display: block; }
:host([modal]) { display: contents; }
iframe { display: block; inline-size: 100%; block-size: 40rem; border: 0; border-radius: 1.25rem; color-scheme: normal; }
dialog { inline-size: min(28rem, 100vw); max-inline-size: none; padding: 0; border: 0; border-radius: 1.25rem; overflow: auto;
  max-block-size: 100dvh; }
dialog::backdrop { background: rgb(0 0 0 / 0.55); }
form { position: sticky; inset-block-start: 0; display: flex; justify-content: end; }
button { position: absolute; margin: 0.5rem; inline-size: 2.75rem; block-size: 2.75rem; border: 0; border-radius: 50%;
  background: rgb(127 127 127 / 0.2); color: inherit; font-size: 1.25rem; cursor: pointer; }
`

/** The address of this script tells where the service is. */
const script = document.currentScript
const base = new URL('.', script instanceof HTMLScriptElement ? script.src : location.href)

class SolanaPayment extends HTMLElement {
  static readonly observedAttributes = ['client-secret', 'modal', 'details', 'lang']
  #frame: HTMLIFrameElement | null = null
  #dialog: HTMLDialogElement | null = null

  connectedCallback(): void {
    window.addEventListener('message', this.#receive)
    this.#render()
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#receive)
    this.#frame = null
    this.#dialog = null
    this.shadowRoot?.replaceChildren()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#render()
  }

  /** Shows the modal. Does nothing where the payment has its place in the page. */
  open(): void {
    if (this.#dialog?.open === false) this.#dialog.showModal()
  }

  /** Closes the modal. The payment goes on, and can be opened again. */
  close(): void {
    this.#dialog?.close()
  }

  #render(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const style = new CSSStyleSheet()
    style.replaceSync(STYLE)
    root.adoptedStyleSheets = [style]
    const frame = this.#newFrame()
    this.#frame = frame
    this.#dialog = null
    if (frame === null) root.replaceChildren()
    else if (this.hasAttribute('modal')) root.replaceChildren(this.#newDialog(frame))
    else root.replaceChildren(frame)
  }

  #newDialog(frame: HTMLIFrameElement): HTMLDialogElement {
    const dialog = document.createElement('dialog')
    const form = document.createElement('form')
    const button = document.createElement('button')
    form.method = 'dialog'
    button.textContent = '×'
    button.ariaLabel = 'Close'
    form.append(button)
    dialog.append(form, frame)
    dialog.addEventListener('close', () => this.#emit('closed', null))
    this.#dialog = dialog
    return dialog
  }

  /** Returns the frame of the payment; null without a client secret. */
  #newFrame(): HTMLIFrameElement | null {
    const secret = this.getAttribute('client-secret')
    if (!secret) return null
    const url = new URL(`i/${encodeURIComponent(secret)}`, base)
    url.searchParams.set('parent', location.origin)
    for (const name of ['details', 'lang']) {
      const value = this.getAttribute(name)
      if (value) url.searchParams.set(name, value)
    }
    const frame = document.createElement('iframe')
    frame.src = url.href
    frame.title = this.getAttribute('aria-label') ?? 'Payment'
    frame.allow = 'clipboard-write'
    frame.referrerPolicy = 'no-referrer'
    return frame
  }

  /** Believes only the frame of this element, and only while it shows the service. */
  readonly #receive = ({ origin, source, data }: MessageEvent<unknown>): void => {
    const frame = this.#frame
    if (frame === null || origin !== base.origin || source !== frame.contentWindow || !isEnvelope(data)) return
    const { message } = data
    switch (message.type) {
      case 'loaded':
        this.#emit('loaded', null)
        break
      case 'status':
        this.#emit('status', { status: message.status, action: message.action })
        break
      case 'resized':
        frame.style.blockSize = `${Math.min(Math.max(message.height, 200), 4_000)}px`
        break
      case 'closed':
        // A modal reports its end itself, whatever closes it.
        if (this.#dialog === null) this.#emit('closed', null)
        else this.#dialog.close()
    }
  }

  #emit<Name extends keyof SolanaPaymentEvents>(name: Name, detail: SolanaPaymentEvents[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail }))
  }
}

if (!customElements.get('solana-payment')) customElements.define('solana-payment', SolanaPayment)
