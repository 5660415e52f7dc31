/** Layers above a page: menus, dialogs, a drawer, toasts. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Confirm, Dialog, DialogActions, Drawer } from '../ui/layers.tsx'
import { Menu, MenuCheck, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'
import css from './stories.module.css'

type Layer = 'dialog' | 'confirm' | 'typed' | 'drawer'

const StoryMenu = () => {
  const [isOn, setOn] = useState(true)
  const [choice, setChoice] = useState<'a' | 'b'>('a')
  return (
    <Menu trigger={<Button>Menu</Button>}>
      <MenuGroup label="Actions">
        <MenuItem onSelect={() => {}}>
          Usual<kbd>e</kbd>
        </MenuItem>
        <MenuItem onSelect={() => {}} isCurrent>
          Shown now
        </MenuItem>
        <MenuItem onSelect={() => {}} blocked="devices:update">
          Blocked
        </MenuItem>
      </MenuGroup>
      <MenuLine />
      <MenuCheck isOn={isOn} onChange={setOn}>
        On or off
      </MenuCheck>
      <MenuChoice
        label="One of two"
        value={choice}
        options={[
          ['a', 'This'],
          ['b', 'That'],
        ]}
        onChange={setChoice}
      />
      <MenuLine />
      <MenuItem isDanger onSelect={() => {}}>
        Delete it<kbd>#</kbd>
      </MenuItem>
    </Menu>
  )
}

export const LayerStories = () => {
  const [open, setOpen] = useState<Layer>()
  const close = () => setOpen(undefined)
  return (
    <div className={css.line}>
      <StoryMenu />
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>
      <Button onClick={() => setOpen('confirm')}>Question before a loss</Button>
      <Button onClick={() => setOpen('typed')}>Question with a number</Button>
      <Button onClick={() => setOpen('drawer')}>Drawer</Button>
      <Button onClick={() => toast('Saved web-01', { undo: () => {} })}>Note with a way back</Button>
      <Button onClick={() => toast('Not saved', { description: 'The server says why', type: 'error' })}>
        Bad news
      </Button>
      {open === 'dialog' && (
        <Dialog title="A dialog" onClose={close}>
          <TextField label="A field" value="" onChange={() => {}} />
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" onClick={close}>
              Do it
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {(open === 'confirm' || open === 'typed') && (
        <Confirm
          title="Delete web-01?"
          action="Delete device"
          onConfirm={() => {}}
          onClose={close}
          typed={open === 'typed' ? '42' : undefined}
        >
          Its addresses become free.
        </Confirm>
      )}
      {open === 'drawer' && (
        <Drawer title="A drawer" onClose={close}>
          <p>What is made or changed.</p>
        </Drawer>
      )}
    </div>
  )
}
