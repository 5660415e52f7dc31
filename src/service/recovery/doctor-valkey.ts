/** Checks the Valkey server of the sessions and of the rate limits. */
import type { Config } from '../../base/config/config.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { openValkey } from '../../base/runtime/valkey.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

/** Returns no finding if the settings use no Valkey server. */
export const checkValkey = async ({ sessionStoreType, rateLimitStore, valkeyUrl }: Config): Promise<Finding[]> => {
  const hasSessions = sessionStoreType === 'valkey'
  if (!hasSessions && rateLimitStore !== 'valkey') return []
  const what = hasSessions ? 'session store' : 'rate limit store'
  const valkey = openValkey({ url: valkeyUrl, what, log: quiet })
  const failure = await valkey.check()
  valkey.close()
  if (!failure) return [ok(what, `${new URL(valkeyUrl).host} answers, and accepts writes`)]
  const { message, advice } = failure
  return [
    hasSessions ? problem(what, message, advice) : warning(what, `${message}; each instance counts by itself`, advice),
  ]
}
