# Named as Tacker's driver of v2 is. Windlass has that driver built in, and runs nothing of this.
