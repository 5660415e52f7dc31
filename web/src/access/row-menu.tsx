/** What can be done with one row of a list, by the pointer; the keys of the list do the same. */
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import css from './access.module.css'

export const RowMenu = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => {
  const trigger = (
    // Not reached by Tab, as nothing in a row is.
    <Button isIcon look="quiet" className={css.rowMenu} tabIndex={-1} aria-label={`Actions for ${name}`}>
      <Ellipsis size={16} aria-hidden="true" />
    </Button>
  )
  return <Menu trigger={trigger}>{children}</Menu>
}
