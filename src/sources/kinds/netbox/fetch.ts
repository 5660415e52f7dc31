/** Reads the pages of a NetBox. The snapshot has them as texts, which take less memory than their values. */
import { AppError } from '../../../contract/errors.ts'
import { isRecord, toText } from '../../../contract/unknown.ts'
import { buildAuthorization, countPage, type FetchPage, readPages } from '../../../convert/netbox/read/read-api.ts'
import { NEEDED } from '../../../convert/netbox/read/routes.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import type { FetchMeans, Json } from '../source-kind.ts'
import type { Snapshot } from './snapshot.ts'

const STATUS = '/api/status/'
const TOKEN = /^[\x21-\x7e]{1,255}$/

/** @throws FetchError `unauthorized` for a text that is no token */
const buildHeaders = ({ secrets }: FetchMeans) => {
  const token = (secrets.token ?? '').trim()
  if (!TOKEN.test(token)) throw new FetchError('unauthorized', 'secrets.token must be 1-255 visible ASCII characters')
  return { Accept: 'application/json', Authorization: buildAuthorization(token) }
}

/** Older releases lack routes of newer ones. */
const canBeMissing = (path: string): boolean => !NEEDED.has(/^\/api\/([^?]*)\/\?/.exec(path)?.[1] ?? '')

const decode = (path: string, body: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw new FetchError('bad_answer', `${path} did not answer with UTF-8`, undefined, { cause: error })
  }
}

export const testNetbox = async (means: FetchMeans): Promise<void> => {
  const status = await means.ask.json(STATUS, { headers: buildHeaders(means) })
  const version = isRecord(status) ? toText(status['netbox-version']) : ''
  if (version === '') throw new FetchError('wrong_url', `${STATUS} is not answered by a NetBox`)
  means.product(`NetBox ${version}`)
}

export const fetchNetbox = async (means: FetchMeans): Promise<Json> => {
  const headers = buildHeaders(means)
  const pages: { status: number; text: string }[] = []
  const fetchPage: FetchPage = async (path) => {
    const missing = path !== STATUS && canBeMissing(path)
    const { status, body } = await means.ask(path, { headers, ...(missing && { alsoAllows: [404] }) })
    pages.push({ status, text: decode(path, body) })
    return { status, body }
  }
  try {
    await readPages(fetchPage, countPage, (version) => {
      if (version === undefined) throw new FetchError('wrong_url', `${STATUS} is not answered by a NetBox`)
      means.product(`NetBox ${version}`)
    })
  } catch (error) {
    // `estate.pull` has these errors as well.
    if (error instanceof AppError) throw new FetchError('bad_answer', error.message, undefined, { cause: error })
    throw error
  }
  return { pages } satisfies Snapshot
}
