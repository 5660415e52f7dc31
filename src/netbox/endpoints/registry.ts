/** The endpoints of the NetBox API. */
import type { Path } from '../endpoint/declared.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { devices } from './devices.ts'
import { virtualMachines } from './virtual-machines.ts'

/** Work on an endpoint, whatever its items are. */
export type EndpointWork<T> = <Item>(endpoint: Endpoint<Item>) => T

type Registered = { readonly path: Path; readonly use: <T>(work: EndpointWork<T>) => T }

const register = <Item>(endpoint: Endpoint<Item>): Registered => ({
  path: endpoint.path,
  use: (work) => work(endpoint),
})

export const REGISTERED: readonly Registered[] = [register(devices), register(virtualMachines)]
