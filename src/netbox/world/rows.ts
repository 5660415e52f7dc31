/** The objects of resources as they are stored, for the reads of the NetBox API. Only their features write them. */
import type { Datacenter } from '../../inventory/datacenters/api.ts'
import { datacenterFacts } from '../../inventory/datacenters/resource.ts'
import type { DeviceType } from '../../inventory/device-types/api.ts'
import { deviceTypeFacts } from '../../inventory/device-types/resource.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { networkFacts } from '../../inventory/networks/resource.ts'
import type { ObjectOfKind } from '../../inventory/objects/api.ts'
import { objectFacts } from '../../inventory/objects/resource.ts'
import type { Rack } from '../../inventory/racks/api.ts'
import { rackFacts } from '../../inventory/racks/resource.ts'
import type { Space } from '../../inventory/spaces/api.ts'
import { spaceFacts } from '../../inventory/spaces/resource.ts'
import { vlanFacts } from '../../inventory/vlans/resource.ts'
import type { ObjectOf } from '../../resource/crud.ts'
import { objectStore } from '../../resource/store.ts'

export const datacenters = objectStore<typeof datacenterFacts, Datacenter>(datacenterFacts)
export const deviceTypes = objectStore<typeof deviceTypeFacts, DeviceType>(deviceTypeFacts)
export const networks = objectStore<typeof networkFacts, Network>(networkFacts)
export const objects = objectStore<typeof objectFacts, ObjectOfKind>(objectFacts)
export const racks = objectStore<typeof rackFacts, Rack>(rackFacts)
export const spaces = objectStore<typeof spaceFacts, Space>(spaceFacts)

/** A VLAN without its networks. */
export type StoredVlan = Omit<ObjectOf<typeof vlanFacts>, 'network_ids'>
export const vlans = objectStore<typeof vlanFacts, StoredVlan>(vlanFacts)
