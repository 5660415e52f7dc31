/** Serves the metrics of the estate, computed once for all scrapers. */
import type { ReportSettings } from '../../answers/reports/counts.ts'
import { formatHeader, formatSample } from '../../base/runtime/metrics.ts'
import { createBreathe } from '../../base/runtime/pause.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { systemRoutes } from '../system/api.ts'
import { listFamilies } from './families.ts'

/** The counts of reports are up to ten seconds older, so no figure is older than 15 seconds. */
const MAX_AGE_MS = 5_000

const formatFamilies = async (ctx: Ctx, settings: ReportSettings): Promise<string> => {
  const breathe = createBreathe()
  const lines: string[] = []
  for (const find of listFamilies(settings))
    for (const { name, help, samples } of await find(ctx)) {
      lines.push(...formatHeader(name, help, 'gauge'))
      for (const sample of samples) {
        lines.push(formatSample(name, sample))
        await breathe()
      }
      await breathe()
    }
  return `${lines.join('\n')}\n`
}

export const createEstateMetrics = ({ config }: { readonly config: ReportSettings }): Feature => {
  let known: { readonly sinceMs: number; readonly text: Promise<string> } | undefined
  /** Returns the text of the last seconds. Scrapers at once share one computation; a failed one is repeated. */
  const read = (ctx: Ctx): Promise<string> => {
    const nowMs = Date.parse(ctx.now)
    if (known && nowMs >= known.sinceMs && nowMs < known.sinceMs + MAX_AGE_MS) return known.text
    const made = { sinceMs: nowMs, text: formatFamilies(ctx, config) }
    known = made
    made.text.catch(() => {
      if (known === made) known = undefined
    })
    return made.text
  }
  return {
    operations: [],
    routes: [
      {
        route: systemRoutes.estateMetrics,
        handler: async (ctx) =>
          new Response(await read(ctx), {
            headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
          }),
      },
    ],
  }
}
