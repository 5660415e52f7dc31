/** The test of the filter `dc:` of lists: what is in the datacenters below one is in it too. */
import { toNameKey } from '../../../../src/net/name-order.ts'
import { buildPaths } from './tree.ts'

type Place = { readonly id: string; readonly name: string; readonly parent_id?: string | undefined }
type Placed = { readonly datacenter_id: string | null }

/** @param value in lower case */
export type PlaceTest = (row: Placed, value: string) => boolean

export const createPlaceTest = (datacenters: readonly Place[]): PlaceTest => {
  const paths = buildPaths(datacenters)
  const names = new Map(
    datacenters.map((one) => [one.id, [...(paths.get(one.id) ?? []), one].map(({ name }) => toNameKey(name))]),
  )
  return ({ datacenter_id }, value) =>
    datacenter_id !== null && (names.get(datacenter_id) ?? []).some((name) => name.startsWith(value))
}

/** Returns the test; undefined without a datacenter below another one. */
export const findPlaceTest = (datacenters: readonly Place[]): PlaceTest | undefined =>
  datacenters.some(({ parent_id }) => parent_id) ? createPlaceTest(datacenters) : undefined
