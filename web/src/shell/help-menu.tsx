/** The menu "Help": the descriptions of Plat. */
import { CircleHelp } from 'lucide-react'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { keysAreOpen } from './palette-state.ts'
import css from './shell.module.css'

/** The pages of the server that describe Plat. */
export const HELP_PAGES = [
  ['Documentation', '/help/'],
  ['API reference', '/api/docs'],
] as const

export const openHelp = (path: string): void => void window.open(path, '_blank', 'noopener')

const openSection = async (): Promise<void> => {
  const { findSection } = await import('../help/sections.ts')
  openHelp(findSection(location.pathname))
}

export const HelpMenu = () => {
  const trigger = (
    <button type="button" className={css.item} title="Help">
      <CircleHelp size={16} aria-hidden="true" />
      <span className={css.text}>Help</span>
    </button>
  )
  return (
    <Menu trigger={trigger} align="start">
      {HELP_PAGES.map(([text, path]) => (
        <MenuItem key={path} onSelect={() => openHelp(path)}>
          {text}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => void openSection()}>About this page</MenuItem>
      <MenuItem onSelect={() => keysAreOpen.set(true)}>Keyboard</MenuItem>
    </Menu>
  )
}
