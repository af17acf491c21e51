import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endsByItself, newFolder } from '../../support/machine.js';

/** True where a file system can be mounted: by root, where there are loop devices. */
export const CAN_MOUNT = canMount();

/**
 * A disk of its own whose power can be cut: an ext4 on a loop device. A cut leaves what the file system had given to the
 * device, which without `fsync` is nothing: periodic commits are too rare to come. The device itself keeps what it was
 * given, as a disk does whose own cache outlives a power cut.
 */
export class Disk {
  private constructor(
    private readonly image: string,
    /** Where it is mounted. */
    readonly folder: string,
  ) {}

  /** Makes one that is gone with the test. */
  static make(megabytes: number): Disk {
    const home = newFolder();
    execFileSync('chmod', ['755', home]);
    const disk = new Disk(join(home, 'image'), join(home, 'mounted'));
    mkdirSync(disk.folder);
    execFileSync('truncate', ['-s', `${megabytes}M`, disk.image]);
    execFileSync('mkfs.ext4', ['-q', disk.image]);
    disk.mount();
    endsByItself(() => unmount(disk.folder));
    return disk;
  }

  /** Nothing may have a file on it open. */
  cutPower(): void {
    const left = `${this.image}.left`;
    execFileSync('cp', ['--sparse=always', this.image, left]);
    unmount(this.folder); // writes the rest to the image of before
    renameSync(left, this.image);
    this.mount();
  }

  private mount(): void {
    execFileSync('mount', ['-o', 'loop,commit=3600', this.image, this.folder]);
  }
}

/** Mounts a file system that is soon full. */
export function mountSmall(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

export function unmount(folder: string): void {
  execFileSync('umount', [folder]);
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = newFolder();
  const script = 'truncate -s 4M image && mkfs.ext4 -q image && mkdir m && mount -o loop image m && umount m';
  const { status } = spawnSync('sh', ['-c', script], { cwd: folder });
  rmSync(folder, { recursive: true });
  return status === 0;
}
