/** Makes or changes a device. Its own URL, so that it can be linked to and left by going back. */
import { lazy, Suspense } from 'react'
import type { Device } from '../../api/contracts.ts'
import { buildCustomControl } from '../../custom-fields/known-custom.tsx'
import { useHasRacks } from '../../racks/known-racks.ts'
import { buildFormFields, MORE } from '../../resource/fields.ts'
import type { FieldSpec, Resource, Values } from '../../resource/resource.ts'
import { ResourceDrawer } from '../../resource/resource-drawer.tsx'
import { useIsInUse } from '../../shell/me.ts'
import { usePageSearch } from '../../table/list-search.ts'
import { buildDeviceFields, DEVICE_ORDER } from '../fields.ts'
import { DEVICE_RESOURCE } from '../resource.ts'
import { AddressFields } from './address-fields.tsx'
import {
  type AddressForm,
  createEmptyAddress,
  formatAddresses,
  parseAddressInput,
  writeAddresses,
} from './address-form.ts'
import { hasMountDetails, mountInput, mountText } from './mount-values.ts'

const MountFields = lazy(() =>
  import('../../racks/mount-fields.tsx').then((module) => ({ default: module.MountFields })),
)
const MountDetails = lazy(() =>
  import('../../racks/mount-fields.tsx').then((module) => ({ default: module.MountDetails })),
)

const buildMountDetails = (hasRacks: boolean): FieldSpec => ({
  ...{ name: 'mount_details', label: 'Power, width, depth', of: 'mount', section: MORE, isSet: hasMountDetails },
  isShown: ({ mount = '' }) => hasRacks && mount !== '',
  render: (input) => (
    <Suspense>
      <MountDetails {...input} />
    </Suspense>
  ),
})

type Known = { readonly hasTypes: boolean; readonly hasRacks: boolean }

export const buildDeviceResource = ({ hasTypes, hasRacks }: Known): Resource<Device> => ({
  ...DEVICE_RESOURCE,
  fields: [
    ...buildFormFields(buildDeviceFields(), DEVICE_ORDER.form, {
      device_type_id: {
        isShown: () => hasTypes,
        hint: 'A new device gets its ports',
      },
      mount: {
        read: mountText,
        send: mountInput,
        isShown: () => hasRacks,
        render: (input) => (
          <Suspense>
            <MountFields {...input} />
          </Suspense>
        ),
      },
      custom: buildCustomControl('devices'),
      addresses: { read: formatAddresses, send: parseAddressInput, render: (input) => <AddressFields {...input} /> },
    }),
    buildMountDetails(hasRacks),
  ],
})

export type DrawerProps = {
  readonly id: string | undefined
  /** Values of a new device. */
  readonly given?: Values
  /** The first address of a new device; that of the URL by default. */
  readonly address?: Partial<AddressForm>
  readonly onClose: () => void
}

export const DeviceDrawer = ({ id, given, address: first, onClose }: DrawerProps) => {
  const hasTypes = useIsInUse('device-types')
  const hasRacks = useHasRacks()
  const { ip = '', pool = '', network = '' } = usePageSearch().search
  // A key that is always the same: a draft belongs to the values that its form began with.
  const address = createEmptyAddress({ key: '0', ip, pool_id: pool, network_id: network, ...first })
  return (
    <ResourceDrawer
      key={id ?? 'new'}
      resource={buildDeviceResource({ hasTypes, hasRacks })}
      id={id}
      given={{ addresses: writeAddresses([address]), ...given }}
      onClose={onClose}
    />
  )
}
