/** The routes of the NetBox API in tests that walk all routes: their objects have numbers, and their errors another form. */
import { z } from 'zod'
import { parseHttp, type RawHttp } from '../../src/kernel/http-route.ts'
import { API_PATH } from '../../src/netbox/door/route.ts'
import type { TestCaller } from '../app/app.ts'

type Route = { readonly http: RawHttp }

export const isNetboxRoute = ({ http }: Route): boolean => parseHttp(http).path.startsWith(API_PATH)

const List = z.object({ results: z.array(z.object({ id: z.int() })) })

/** A number of no object. */
const NOTHING = 999_999_999

/**
 * Returns the address of a route with the number of the first object of its list.
 * @returns `isThere` false for a list without objects
 */
export const findNetboxAddress = async (
  request: TestCaller['request'],
  { http }: Route,
): Promise<{ readonly address: string; readonly isThere: boolean }> => {
  const { path, params } = parseHttp(http)
  if (params.length === 0) return { address: path, isThere: true }
  const list = await request('GET', `${path.slice(0, path.indexOf('/{'))}/?limit=1`)
  const [first] = List.parse(await list.json()).results
  return { address: path.replace(/\{\w+\}/g, String(first?.id ?? NOTHING)), isThere: first !== undefined }
}
