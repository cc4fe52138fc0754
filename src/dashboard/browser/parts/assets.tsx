// The assets in which a payment can be made.
import { useRead } from '#dashboard/browser/data.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Checks } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardTokensDocument, type DashboardTokensQuery } from '#dashboard/documents.generated.ts'

export type Token = NonNullable<DashboardTokensQuery['allowedTokens']>[number]

/** Returns what the business can be paid in; nothing until it is read. */
export function useTokens(): readonly Token[] {
  const { business } = useMe()
  const { data } = useRead(DashboardTokensDocument, {})
  return data?.allowedTokens.filter(({ network }) => network === business.mode) ?? []
}

type AssetChecksProps = {
  readonly tokens: readonly Token[]
  readonly hint?: string
  isChecked(asset: string): boolean
}

export function AssetChecks({ tokens, isChecked, ...rest }: AssetChecksProps) {
  const { say } = useWords()
  return (
    <Checks
      label={say('payableIn')}
      name="acceptedAssets"
      options={tokens.map(({ asset, name, ticker }) => ({
        value: asset,
        isChecked: isChecked(asset),
        label: (
          <>
            <bdi>{name}</bdi> <span class="hint">{ticker}</span>
          </>
        ),
      }))}
      {...rest}
    />
  )
}
