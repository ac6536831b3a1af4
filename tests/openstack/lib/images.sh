build_images() { :; }
