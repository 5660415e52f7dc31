/** Builds the URLs in answers of the NetBox API. */
import type { RawTarget } from '../../kernel/request.ts'
import { BASE_PATH } from './route.ts'

export type Links = {
  /** @example links.api('dcim/devices/7') // 'https://plat.example.com/netbox/api/dcim/devices/7/' */
  readonly api: (path: string) => string
  /** Returns the URL of a page of the web UI. @example links.page('/devices/x') // 'https://plat.example.com/devices/x' */
  readonly page: (path: string) => string
}

export const createLinks = (
  { origin, isAtApiHost }: Pick<RawTarget, 'origin' | 'isAtApiHost'>,
  publicUrl: string | undefined,
): Links => {
  const api = `${origin}${isAtApiHost ? '' : BASE_PATH}/api/`
  // A host of the API has no pages.
  const page = isAtApiHost ? (publicUrl ?? origin) : origin
  return { api: (path) => (path === '' ? api : `${api}${path}/`), page: (path) => page + path }
}
