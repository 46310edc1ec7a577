"""ResourceQuota: what a namespace uses in all stays within its quotas."""
