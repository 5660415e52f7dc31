/** The registry of kinds of sources: one line each. */
import type { Kind } from '../schema.ts'
import { aws } from './aws/kind.ts'
import { docker } from './docker/kind.ts'
import { document } from './document/kind.ts'
import { kubernetes } from './kubernetes/kind.ts'
import { libvirt } from './libvirt/kind.ts'
import { netbox } from './netbox/kind.ts'
import { proxmox } from './proxmox/kind.ts'
import type { SourceKind } from './source-kind.ts'
import { vcenter } from './vcenter/kind.ts'

/** Partial, because a database may have a source of a kind that only a newer release knows. */
export const SOURCE_KINDS: Readonly<Partial<Record<Kind, SourceKind>>> = {
  document,
  netbox,
  proxmox,
  vcenter,
  libvirt,
  docker,
  kubernetes,
  aws,
} satisfies Readonly<Record<Kind, SourceKind>>
