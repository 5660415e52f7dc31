/**
 * The keys of things that have no id: they are built of ids, which hold no blank and no colon, so that no key is also an id. A key ends with
 * the only part that may hold any text.
 */
import { toNameKey } from '../../net/name-order.ts'

/** Returns the key of an address of a device. @param space null for the default space */
export const buildAddressKey = (deviceId: string, space: string | null, ip: string): string =>
  `${deviceId} ${space ?? ''} ${ip}`

/** Returns the key of an interface that is no port: a name that addresses of the device have. */
export const buildInterfaceKey = (deviceId: string, name: string): string => `${deviceId}:${toNameKey(name)}`

/** Returns the key of a MAC address of an interface. @param interfaceKey the id of the port, or the key of `buildInterfaceKey` */
export const buildMacKey = (mac: string, interfaceKey: string): string => `${mac} ${interfaceKey}`

/** Returns the key of a VLAN that is only a number. */
export const buildVlanKey = (datacenterId: string | null, vid: number): string => `${datacenterId ?? ''} ${vid}`

/** Returns the parts of the key of a VLAN that is only a number; undefined for the id of a VLAN. */
export const parseVlanKey = (
  key: string,
): { readonly datacenterId: string | null; readonly vid: number } | undefined => {
  const [id = '', vid] = key.split(' ')
  return vid === undefined ? undefined : { datacenterId: id || null, vid: Number(vid) }
}

/** Returns the key of a name: of a role, a platform, a tag. Kinds of names have no objects. */
export const buildNameKey = (name: string): string => toNameKey(name)

/** Returns the key of a text in place of an object, such as a type of devices without one, or the site `Unassigned`. */
export const buildStandInKey = (text: string): string => `:${toNameKey(text)}`
