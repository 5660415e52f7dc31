/** Fetches a document by one request. */
import { FetchError } from '../../fetch/fetch-error.ts'
import type { FetchMeans, Json } from '../source-kind.ts'
import { DocumentOptions } from './options.ts'
import { fromFile } from './snapshot.ts'

const buildHeaders = ({ options, secrets }: FetchMeans): Record<string, string> => {
  const { header = '' } = DocumentOptions.parse(options)
  return {
    Accept: 'application/json, application/yaml, text/csv, */*;q=0.5',
    ...(secrets.token && { Authorization: `Bearer ${secrets.token}` }),
    ...(header !== '' && secrets.header_value && { [header]: secrets.header_value }),
  }
}

export const fetchDocument = async (means: FetchMeans): Promise<Json> => {
  const { body } = await means.ask('', { headers: buildHeaders(means) })
  if (body.length === 0) throw new FetchError('bad_answer', 'the URL answered with an empty file')
  return fromFile(body)
}
