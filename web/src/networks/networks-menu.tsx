/** Leads to the pages of the objects that networks refer to. */
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'

export const NetworksMenu = () => {
  const navigate = useNavigate()
  const { may } = usePermit()
  if (!may('spaces:list') && !may('vlans:list')) return null
  const trigger = (
    <Button isIcon aria-label="More about networks">
      <Ellipsis size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      {may('spaces:list') && <MenuItem onSelect={() => void navigate({ to: '/spaces' })}>Address spaces</MenuItem>}
      {may('vlans:list') && <MenuItem onSelect={() => void navigate({ to: '/vlans' })}>VLANs</MenuItem>}
    </Menu>
  )
}
