// <solana-payment client-secret="…">: the page of a payment inside another site, in its place or as a modal. One script tag
// defines the element: <script src="{pay_url}/widget.js" async></script>
import { directionOf } from '#pay/texts/texts.ts'
import { widgetTexts } from '#pay/texts/widget.ts'
import { isEnvelope, type WidgetMessage } from '#pay/widget-messages.ts'

type Status = Extract<WidgetMessage, { type: 'status' }>

/** The events of the element. `status` comes with each change, and once in the beginning. */
export type SolanaPaymentEvents = {
  readonly loaded: CustomEvent<null>
  readonly failed: CustomEvent<null>
  readonly status: CustomEvent<Pick<Status, 'status' | 'action'>>
  readonly closed: CustomEvent<null>
}

const STYLE = `
:host { display: block; max-inline-size: 28rem; margin-inline: auto; color-scheme: light dark; }
:host([modal]) { display: contents; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
[hidden] { display: none !important; }
iframe { display: block; inline-size: 100%; block-size: 40rem; border: 0; border-radius: 1.25rem; color-scheme: normal; }
dialog { inline-size: min(28rem, 100vw); max-inline-size: none; padding: 0; color: inherit; border: 0; border-radius: 1.25rem; overflow: auto;
  max-block-size: 100dvh; }
dialog::backdrop { background: rgb(0 0 0 / 0.55); }
form { position: sticky; inset-block-start: 0; display: flex; justify-content: end; }
button { position: absolute; margin: 0.5rem; inline-size: 2.75rem; block-size: 2.75rem; border: 0; border-radius: 50%;
  background: rgb(127 127 127 / 0.2); color: inherit; font-size: 1.25rem; cursor: pointer; }
.failed { display: grid; gap: 1rem; justify-items: center; padding: 4rem 1.5rem; border-radius: 1.25rem; text-align: center;
  background: light-dark(#fff, #191c25); color: light-dark(#14161d, #f1f2f6); font: 1rem/1.5 system-ui, sans-serif; }
:host(:not([modal])) .failed { border: 1px solid light-dark(#d9dce6, #333846); }
p { margin: 0; }
a { padding: 0.75rem 1.25rem; border-radius: 0.875rem; font-weight: 600; text-decoration: none;
  background: light-dark(#4c33c9, #b3a5ff); color: light-dark(#fff, #17112f); }
`

/** How long the page of a payment may take to load, and then to report that it is there. */
const LOADED_WITHIN_MS = 30_000
const REPORTED_WITHIN_MS = 3_000

/** The address of this script tells where the service is. */
const script = document.currentScript
const base = new URL('.', script instanceof HTMLScriptElement ? script.src : location.href)

class SolanaPayment extends HTMLElement {
  static readonly observedAttributes = ['client-secret', 'modal', 'details', 'lang', 'theme']
  #frame: HTMLIFrameElement | null = null
  #dialog: HTMLDialogElement | null = null
  /** Whether the frame has reported that it shows the payment. */
  #isLoaded = false
  /** What is shown instead of a frame that shows no payment. */
  #failure: HTMLElement | null = null

  connectedCallback(): void {
    window.addEventListener('message', this.#receive)
    this.#render()
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#receive)
    this.#clear()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#render()
  }

  /** Shows the modal, or a payment in its place that was closed. */
  open(): void {
    if (this.#frame === null && this.isConnected) this.#render()
    if (this.#dialog?.open === false) this.#dialog.showModal()
  }

  /** Closes the modal, or takes the payment from its place. The payment goes on, and can be opened again. */
  close(): void {
    // A modal reports its end itself, whatever closes it.
    if (this.#dialog !== null) this.#dialog.close()
    else if (this.#frame !== null) {
      this.#clear()
      this.#emit('closed', null)
    }
  }

  #clear(): void {
    this.#frame = null
    this.#dialog = null
    this.#isLoaded = false
    this.#failure = null
    this.shadowRoot?.replaceChildren()
  }

  #render(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const style = new CSSStyleSheet()
    style.replaceSync(STYLE)
    root.adoptedStyleSheets = [style]
    this.#clear()
    const url = this.#url()
    if (url === null) return
    const frame = this.#newFrame(url)
    this.#frame = frame
    root.append(this.hasAttribute('modal') ? this.#newDialog(frame) : frame)
  }

  #newDialog(frame: HTMLIFrameElement): HTMLDialogElement {
    const dialog = document.createElement('dialog')
    const form = document.createElement('form')
    const button = document.createElement('button')
    form.method = 'dialog'
    button.textContent = '×'
    button.ariaLabel = widgetTexts(this.lang).texts.close
    form.append(button)
    dialog.ariaLabel = frame.title
    dialog.append(form, frame)
    // Nothing but its backdrop is outside of its content.
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
    dialog.addEventListener('close', () => this.#emit('closed', null))
    this.#dialog = dialog
    return dialog
  }

  /** Returns the address of the payment's page; null without a client secret. */
  #url(): URL | null {
    const secret = this.getAttribute('client-secret')
    if (!secret) return null
    const url = new URL(`i/${encodeURIComponent(secret)}`, base)
    for (const name of ['details', 'lang', 'theme']) {
      const value = this.getAttribute(name)
      if (value) url.searchParams.set(name, value)
    }
    return url
  }

  #newFrame(url: URL): HTMLIFrameElement {
    const embedded = new URL(url)
    embedded.searchParams.set('parent', location.origin)
    const frame = document.createElement('iframe')
    frame.src = embedded.href
    frame.title = this.getAttribute('aria-label') ?? widgetTexts(this.lang).texts.payment
    frame.allow = 'clipboard-write'
    frame.referrerPolicy = 'no-referrer'
    // A browser does not say why a frame shows nothing: the domain, the client secret, or the service.
    const fail = () => this.#fail(frame, url)
    setTimeout(fail, LOADED_WITHIN_MS)
    frame.addEventListener('load', () => setTimeout(fail, REPORTED_WITHIN_MS))
    return frame
  }

  /** Leads to the page of a payment that the frame does not show. */
  #fail(frame: HTMLIFrameElement, url: URL): void {
    if (this.#frame !== frame || this.#isLoaded || this.#failure !== null) return
    const { language, texts } = widgetTexts(this.lang)
    const failure = document.createElement('div')
    const text = document.createElement('p')
    const link = document.createElement('a')
    failure.className = 'failed'
    failure.role = 'alert'
    failure.lang = language
    failure.dir = directionOf(language)
    text.textContent = texts.notShown
    link.textContent = texts.openPayment
    link.href = url.href
    link.target = '_blank'
    link.rel = 'noreferrer'
    failure.append(text, link)
    frame.hidden = true
    frame.after(failure)
    this.#failure = failure
    this.#emit('failed', null)
  }

  /** Believes only the frame of this element, and only while it shows the service. */
  readonly #receive = ({ origin, source, data }: MessageEvent<unknown>): void => {
    const frame = this.#frame
    if (frame === null || origin !== base.origin || source !== frame.contentWindow || !isEnvelope(data)) return
    const { message } = data
    switch (message.type) {
      case 'loaded':
        // It may be late.
        this.#failure?.remove()
        this.#failure = null
        frame.hidden = false
        this.#isLoaded = true
        this.#emit('loaded', null)
        break
      case 'status':
        this.#emit('status', { status: message.status, action: message.action })
        break
      case 'resized':
        frame.style.blockSize = `${Math.min(Math.max(message.height, 200), 4_000)}px`
        break
      case 'escaped':
        this.#dialog?.close()
        break
      case 'closed':
        this.close()
    }
  }

  #emit<Name extends keyof SolanaPaymentEvents>(name: Name, detail: SolanaPaymentEvents[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail }))
  }
}

if (!customElements.get('solana-payment')) customElements.define('solana-payment', SolanaPayment)
