/** Objects of a NetBox and references to them, in no form of a file. */

/** A reference to an object. */
export class Ref {
  readonly kind: string
  readonly id: number

  constructor(kind: string, id: number) {
    this.kind = kind
    this.id = id
  }
}

export type Entry = {
  readonly kind: string
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
  readonly custom?: Readonly<Record<string, unknown>>
}

export const ref = (kind: string, id: number) => new Ref(kind, id)
export const named = (kind: string, id: number, name: string, more: Record<string, unknown> = {}): Entry => ({
  kind,
  id,
  fields: { name, slug: name.toLowerCase().replaceAll(' ', '-'), ...more },
})

export const site = (id: number) => ref('dcim.site', id)
export const tenant = ref('tenancy.tenant', 1)
export const iface = (id: number) => ref('dcim.interface', id)
export const vrf = ref('ipam.vrf', 1)

export const device = (id: number) => ref('dcim.device', id)
