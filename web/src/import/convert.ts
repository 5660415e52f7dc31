/** Files of other programs, as the server converts them. */
import type { Converted } from '../../../src/convert/protocol.ts'
import { request } from '../api/client.ts'
import { isCode } from '../api/errors.ts'

export type Conversion = Omit<Converted, 'hosts'>

type Given = {
  readonly format?: string | undefined
  readonly origin?: string | undefined
  /** Of a spreadsheet. */
  readonly resource?: string | undefined
  readonly signal: AbortSignal
}

/** @returns undefined for a file of a format that the server does not know, if none is given */
export const convertFile = async (
  file: Blob,
  { format, origin, resource, signal }: Given,
): Promise<Conversion | undefined> => {
  const query = new URLSearchParams({ leftover: 'true' })
  if (format) query.set('format', format)
  if (origin) query.set('origin', origin)
  if (resource) query.set('resource', resource)
  try {
    const response = await request(`/api/estate/convert?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal,
    })
    // The server's half of the contract.
    return (await response.json()) as Conversion
  } catch (error) {
    if (!format && isCode(error, 'VALIDATION_ERROR') && error.details.some(({ field }) => field === 'format'))
      return undefined
    throw error
  }
}

/** Has the server read a NetBox. The token is only sent for this call. */
export const pullNetbox = async (url: string, token: string, signal: AbortSignal): Promise<Conversion> => {
  const response = await request('/api/estate/pull', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'netbox', url, token, leftover: true }),
    signal,
  })
  return (await response.json()) as Conversion
}
