/** A tooltip, for pointer and keyboard. */
import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import css from './button.module.css'

export const Tooltip = ({ text, children }: { readonly text: string; readonly children: ReactElement }) => (
  <Base.Root>
    <Base.Trigger render={children} delay={300} />
    <Base.Portal>
      <Base.Positioner sideOffset={6}>
        <Base.Popup className={css.tooltip} role="tooltip">
          {text}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
