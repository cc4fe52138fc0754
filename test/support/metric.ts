// One value of /metrics, as the operator reads it.
import { asOperator, type TestService } from './services.ts'

/** Returns the value of the series with that name and labels; NaN when there is none. */
export async function metric(service: TestService, series: string): Promise<number> {
  const { text } = await service.get('/metrics', asOperator)
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? Number.NaN)
}
