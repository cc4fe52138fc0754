// A link that is shown once: to scan, to copy, and to open.
import { Button, Copyable, Dialog } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { QrCode } from '#pay/views/qr.tsx'

type LinkDialogProps = {
  readonly title: string
  readonly text: string
  readonly link: string
  readonly hint?: string | undefined
  onClose(): void
}

export function LinkDialog({ title, text, link, hint, onClose }: LinkDialogProps) {
  const { say } = useWords()
  return (
    <Dialog title={title} onClose={null}>
      <p>{text}</p>
      <QrCode text={link} label={say('linkQr')} />
      <p class="secret">
        <Copyable text={link} href={link} />
      </p>
      {hint && <p class="hint">{hint}</p>}
      <div class="actions">
        <Button kind="primary" onPress={onClose}>
          {say('kept')}
        </Button>
      </div>
    </Dialog>
  )
}
