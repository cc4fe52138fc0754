// The business: its logo, its name, and where its buyers get help.
import type { PayBrandFragment } from '#pay/documents.generated.ts'
import { usePage } from '#pay/views/context.tsx'

export const Payee = ({ brand, name }: { brand: PayBrandFragment; name: string }) => (
  <>
    {brand.logoUrl && <img class="brand" src={brand.logoUrl} alt="" height={40} />}
    <p class="payee">
      <bdi>{name}</bdi>
    </p>
  </>
)

export function Support({ brand: { supportUrl, supportEmail } }: { brand: PayBrandFragment }) {
  const { say } = usePage()
  if (supportUrl === null && supportEmail === null) return null
  return (
    <p class="hint support">
      {say('questions')}{' '}
      {supportUrl && (
        <a href={supportUrl} target="_blank" rel="noreferrer">
          {new URL(supportUrl).hostname}
        </a>
      )}{' '}
      {supportEmail && <a href={`mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}`}>{supportEmail}</a>}
    </p>
  )
}
