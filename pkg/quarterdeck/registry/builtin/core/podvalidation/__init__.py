"""The validation of pods and of templates of pods: a module for each part of their spec."""
